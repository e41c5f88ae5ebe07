"""The sentences of the linked manual: how links and facts are said and how they are asked for.

``{x}`` and ``{y}`` are the ends of a link (a link leads from x to y); ``{y}`` and ``{n}``, ``{c}``, ``{m}``
the thing that a fact is of and a number, a colour or a maker. People write and ask in words of their own, so
what is asked is often said in others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ways:
    """How something is ``said`` and how it is ``asked`` for."""

    said: Sequence[str]
    asked: Sequence[str]


LINKS: Mapping[str, Ways] = {
    "requires": Ways(
        (
            "{x} requires {y}.",
            "{x} cannot start unless {y} is running.",
            "Before {x} can be used, {y} must be switched on.",
            "In every cycle {x} needs {y}, except in manual mode.",
            "{y} is required by {x} whenever the pressure rises.",
            "{x} depends on {y} for its timing.",
            "Without {y}, {x} stays idle.",
        ),
        (
            "the component that {x} requires",
            "the component that {x} needs",
            "the component without which {x} cannot work",
            "whatever {x} depends on",
        ),
    ),
    "is configured by": Ways(
        (
            "{x} is configured by {y}.",
            "{y} configures {x} at each cold start.",
            "The parameters of {x} are written by {y}.",
            "{x} takes its settings from {y}, unless a jumper is fitted.",
            "Use {y} to adjust {x}.",
            "All limits of {x} are loaded from {y} after a reset.",
            "{y} sets the operating point of {x}.",
        ),
        (
            "the component that configures {x}",
            "the component from which {x} gets its settings",
            "the component with which {x} is adjusted",
        ),
    ),
    "sends to": Ways(
        (
            "{x} sends its readings to {y}.",
            "{y} receives the output of {x} once a second.",
            "The samples that {x} takes are passed on to {y}.",
            "{x} feeds {y} as long as the line is open.",
            "Everything that {x} has measured ends up in {y}.",
            "{x} reports to {y}.",
            "What {x} produces is forwarded to {y}, but only if the checksum fits.",
        ),
        (
            "the component to which {x} sends its readings",
            "the component that receives the output of {x}",
            "whatever {x} reports to",
        ),
    ),
    "is protected by": Ways(
        (
            "{y} protects {x} against overload.",
            "{x} is shut down by {y} when the flow stops.",
            "If the shaft seizes, {y} disconnects {x}.",
            "{x} is guarded by {y}.",
            "In an emergency {y} stops {x} within a second.",
            "Only {y} can interrupt {x}, provided that the key is turned.",
        ),
        (
            "the component that protects {x}",
            "the component by which {x} is shut down",
            "the component that stops {x} in an emergency",
        ),
    ),
    "replaces": Ways(
        (
            "{x} replaces {y}.",
            "{y} was superseded by {x} in the second revision.",
            "Since the last overhaul {x} does the work that {y} did.",
            "{x} is the successor of {y}.",
            "Where {y} was once fitted, {x} is mounted today.",
            "{x} took over from {y}, although the old wiring was kept.",
        ),
        (
            "the component that {x} replaced",
            "the predecessor of {x}",
            "the component that {x} took over from",
        ),
    ),
    "is part of": Ways(
        (
            "{x} is part of {y}.",
            "{y} contains {x}, among other things.",
            "{x} is built into {y}.",
            "Inside {y} sits {x}.",
            "{x} belongs to {y}, unless it was ordered alone.",
            "{y} consists of {x} and a carrier.",
        ),
        (
            "the assembly that contains {x}",
            "the assembly that {x} is part of",
            "the assembly into which {x} is built",
        ),
    ),
    "triggers": Ways(
        (
            "{x} triggers {y}.",
            "When {x} closes, {y} is activated.",
            "{y} is started by {x}.",
            "{y} wakes up as soon as {x} has finished.",
            "A pulse of {x} causes {y} to restart, if bit 3 is set.",
            "{x} activates {y} after 200 ms.",
        ),
        (
            "the component that {x} triggers",
            "the component that {x} activates",
            "the component that starts when {x} has finished",
        ),
    ),
}

FACTS: Mapping[str, Ways] = {
    "interval": Ways(
        (
            "Have a technician look at {y} every {n} days.",
            "No more than {n} days may pass between two inspections.",
            "The gaskets last {n} days and are then exchanged.",
            "Every {n} days {y} is cleaned and checked for wear.",
        ),
        ("How often is maintenance due on {w}?", "What is the service schedule of {w}?"),
    ),
    "weight": Ways(
        (
            "{y} brings {n} kg to the scales.",
            "Two people are enough to lift its {n} kg.",
            "With its bracket it comes to {n} kg.",
            "The anchor bolts carry {n} kg here.",
        ),
        ("How heavy is {w}?", "What is the weight of {w}?"),
    ),
    "colour": Ways(
        (
            "Its cover is {c}.",
            "{y} is painted {c}.",
            "Look for a {c} enclosure.",
            "A {c} shell surrounds it.",
        ),
        ("What colour is {w}?", "Which colour does {w} have?"),
    ),
    "maker": Ways(
        (
            "{y} comes from the workshops of {m}.",
            "It is supplied by {m}.",
            "The castings and the drawings are by {m}.",
            "{m} holds the patents and delivers it.",
        ),
        ("Who makes {w}?", "Which company manufactures {w}?"),
    ),
    "place": Ways(
        (
            "{y} stands on deck {n}.",
            "You find it behind hatch {n}.",
            "Ladder {n} leads up to it.",
            "It hangs above walkway {n}.",
        ),
        ("At which location is {w} installed?", "Where can one find {w}?"),
    ),
    "heat": Ways(
        (
            "Above {n} °C {y} must be taken off line.",
            "The windings endure {n} °C.",
            "Keep it below {n} °C.",
            "At {n} °C its fuse melts.",
        ),
        ("How hot may {w} become?", "What is the maximum temperature of {w}?"),
    ),
    "memory": Ways(
        (
            "Its buffer takes {n} records.",
            "There are {n} entries in its table.",
            "After {n} lines the oldest one is dropped.",
            "There is room for {n} samples.",
        ),
        ("How much data does {w} hold?", "What is the storage capacity of {w}?"),
    ),
    "fault": Ways(
        (
            "Lamp {n} blinks when something is wrong with it.",
            "A buzzer sounds {n} times if it gets stuck.",
            "Trouble is announced by code {n}.",
            "If it fails, flag {n} comes up on the panel.",
        ),
        ("How does a fault in {w} show?", "What indicates an error of {w}?"),
    ),
    "power": Ways(
        (
            "{y} draws {n} W from rail B.",
            "Its adapter is rated at {n} W.",
            "Plan {n} W for it.",
            "The rail gives it {n} W.",
        ),
        ("How much electricity does {w} consume?", "What is the energy demand of {w}?"),
    ),
    "since": Ways(
        (
            "Release {n} brought it along.",
            "It came with patch {n}.",
            "Firmware older than {n} knows nothing of it.",
            "{y} was added in revision {n}.",
        ),
        ("Since which version does {w} exist?", "Which version introduced {w}?"),
    ),
    "access": Ways(
        (
            "Only staff of grade {n} touch it.",
            "A badge of class {n} opens it.",
            "{y} asks for key {n}.",
            "Crew {n} alone lays hands on it.",
        ),
        ("Who has permission to change {w}?", "Which privilege is necessary to modify {w}?"),
    ),
    "default": Ways(
        (
            "As delivered it stands at {n}.",
            "{y} begins with {n}.",
            "From the factory comes a {n} here.",
            "Until somebody touches it, it reads {n}.",
        ),
        ("What is the default value of {w}?", "Which initial value does {w} hold?"),
    ),
}
BODILY = ("interval", "weight", "colour", "place", "heat", "power", "maker", "fault", "memory")
"""What can be said of a thing that one can touch."""
LOGICAL = ("since", "access", "default", "fault", "memory")
"""What can be said of a command or a register."""
