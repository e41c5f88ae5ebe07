"""What the linked manual is written with: names, asides, and decoys that talk like the questions."""

from __future__ import annotations

COLOURS = ["violet", "amber", "teal", "crimson", "ivory", "olive", "navy", "grey", "ochre", "turquoise"]
MAKERS = ("Orlen and Vask", "Tambrook", "Hesk Brothers", "Fennimore Works", "Calder Ruud", "Ossip Metals")

DOCUMENTS = (
    "Ballast Plant Handbook",
    "Kiln Line Handbook",
    "Brewhouse Handbook",
    "Tram Depot Handbook",
    "Observatory Handbook",
)
OTHER_DOCUMENT = "Office Handbook"
HUB = "Meridian Frame"

FIRST = [
    "Coolant",
    "Brine",
    "Inlet",
    "Outlet",
    "Ballast",
    "Furnace",
    "Hopper",
    "Nozzle",
    "Rudder",
    "Turbine",
    "Lantern",
    "Damper",
    "Exhaust",
    "Grain",
    "Mash",
    "Shutter",
    "Mirror",
    "Pantograph",
    "Trolley",
    "Signal",
    "Rotor",
    "Vacuum",
    "Ladle",
    "Kettle",
    "Filter",
    "Conveyor",
    "Hatch",
    "Spindle",
    "Gantry",
    "Wicket",
]
SECOND = [
    "Monitoring",
    "Delivery",
    "Balance",
    "Transfer",
    "Alignment",
    "Pressure",
    "Circulation",
    "Dosing",
    "Ignition",
    "Release",
    "Return",
    "Sampling",
    "Tension",
    "Guidance",
    "Exchange",
    "Metering",
]
THIRD = [
    "Unit",
    "Pump",
    "Relay",
    "Controller",
    "Gateway",
    "Exchanger",
    "Bridge",
    "Regulator",
    "Station",
    "Logger",
]
OFFICE = {
    word[0]: word
    for word in [
        "Archive",
        "Badge",
        "Canteen",
        "Desk",
        "Email",
        "Fax",
        "Guest",
        "Holiday",
        "Invoice",
        "Jubilee",
        "Key",
        "Leave",
        "Messaging",
        "Notice",
        "Order",
        "Payroll",
        "Queue",
        "Room",
        "Staff",
        "Travel",
        "Utility",
        "Visitor",
        "Wage",
        "Xerox",
        "Yearbook",
        "Zone",
    ]
}
CODES = ["KX", "TR", "BV", "PL", "ZN", "HD", "QM", "RS"]
NOUNS = ["feeder", "valve", "probe", "clutch", "sensor", "dimmer", "coupling"]
VERBS = ["trim", "purge", "align", "arm", "drain", "latch"]
OBJECTS = ["inlet", "outlet", "boom", "tray", "mast", "drum"]
REGISTERS = ["FCR", "MSR", "LTR", "WDR", "PIR"]
BITS = ["LATCH", "READY", "HOLD", "MASK", "GATE"]

BODILY_FILLING = (
    "Like everything on the Meridian Frame, it is earthed.",
    "It is bolted to the Meridian Frame.",
    "The Meridian Frame keeps it level.",
    "Two versions of the plug are in use; both fit.",
    "A spare one is kept in the store at the gate.",
    "Dust does it no harm, but salt water does.",
    "After rain the seals should be wiped dry.",
    "Its label must stay legible.",
    "In winter allow a few minutes before the first run.",
)
FILLING = (
    "Read the notes on the inner side of the door first.",
    "The night shift writes down what it has seen in the log.",
    "There is nothing to be repaired by the operator.",
    "Beginners should leave it alone.",
    "Chapter two of the training course treats it at length.",
    "On the screens of the Meridian Frame it has a line of its own.",
)

DECOYS = (
    (
        "Service schedule",
        "How often maintenance is due depends on the component. A component that another one "
        "requires, needs or depends on has a service schedule of its own. {a} and {b} are on the "
        "short one.",
    ),
    (
        "Weight and colour",
        "How heavy a component is and what colour it has stands on its plate. The weight of an "
        "assembly that contains another is given without it. {a} has a plate, {b} has none.",
    ),
    (
        "Makers",
        "Which company manufactures a component that protects or configures another is of no weight "
        "for the warranty. Who makes {a} may not make {b}.",
    ),
    (
        "Installation",
        "The location at which a component is installed is on the plan: where one can find what it "
        "sends its readings to, and the predecessor that it replaced. {a} and {b} are on sheet two.",
    ),
    (
        "Temperature and energy",
        "How hot a component may become is its maximum temperature. The energy demand and how much "
        "electricity it may consume are given for the component that another triggers or activates. "
        "{a} and {b} were tested alone.",
    ),
    (
        "Capacity and faults",
        "How much data a component can hold is its storage capacity; a fault or an error shows on the"
        " component by which it is shut down, or with which it is adjusted. {a} is shown first, then "
        "{b}.",
    ),
)
