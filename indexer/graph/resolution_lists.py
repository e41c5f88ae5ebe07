"""Words that say what a name is beside which: left out, or put in one form, before names are compared."""

from __future__ import annotations

import re

from ..names_lists import word_set

SMALL = word_set(
    """
    a an and at by for from in of on or the to with & von vom für und der die das des zur zum im am an bei
    mit de la le les du des et el los las y di del della e da do dos van het en"""
)
"""Words that an acronym may pass over."""

APPARATUS = word_set(
    """
    board button camera chip command controller core daemon driver engine flag function gateway instruction
    interrupt key library machine option parameter printer processor program protocol pump register router
    sensor service signal switch syscall tool utility valve variable anweisung befehl funktion gerät
    heizkessel kessel knopf programm protokoll pumpe schalter taste treiber ventil"""
)
"""Nouns that say what a thing with a code for a name is: ``CR4 register``, ``--check option``."""

PROPER_APPARATUS = word_set("daemon syscall")
"""The same before or after any name: ``quayd daemon``."""

BEFORE_OR_AFTER = word_set("river lake mount")
"""What stands before a name or after it, and is part of it: ``river Kura`` is the Kura River."""

TITLES = word_set(
    """
    admiral captain chancellor colonel count dame doctor dr duke frau general governor herr judge king lady
    lord major mayor minister miss mr mrs ms pope president prince princess prof professor queen saint senator
    sergeant sir st"""
)
"""What stands before a person's name."""

LEGAL = word_set(
    """
    ab ag as asa bv co corp corporation gmbh inc incorporated kg limited llc llp lp ltd nv oy oyj plc pty sa
    sarl se spa srl"""
)
"""Legal forms at the end of an organisation's name."""

LEGAL_DENSE = (
    "股份有限公司", "有限责任公司", "有限公司", "株式会社", "有限会社", "合同会社", "주식회사", "(주)",
)  # fmt: skip

MEN = word_set("dom don duke earl herr king lord mister mr prince signor sir")
WOMEN = word_set("dame donna duchess frau lady miss mrs ms princess queen signora")

BESIDE = word_set(
    """
    african american ancient arab asian austrian best british canadian cape central chinese christian danish
    dutch east eastern english european federal finnish first former fort french german gnu grand great greek
    gulf hungarian imperial indian inner international iranian irish isle israeli italian japanese jewish
    korean lake latin little lower mexican mount muslim national native new north northern norwegian old outer
    persian polish port portuguese premier roman royal russian saint san santa scottish second south southern
    soviet spanish supreme swedish swiss third turkish ukrainian united upper welsh west western world"""
)
"""A name that begins so is no person's, and its last word alone means another thing: North Carolina is not
Carolina."""

SPELLINGS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"^saint$", "st"),
        (r"^and$", "&"),
        (r"^(company)$", "co"),
        (r"ae|oe", "e"),
        (r"ph", "f"),
        (r"(?<=\w\w)our(?=s?$|ed$|ing$|al$)", "or"),
        (r"(?<=\w\w)is(?=e[drs]?$|ing$|ation)", "iz"),
        (r"(?<=\w\w)ys(?=e[drs]?$|ing$)", "yz"),
        (r"(?<=\w\w[^aeiou])re$", "er"),
        (r"(?<=\w)ogue(?=s?$)", "og"),
        (r"(?<=\w\w)ll(?=ed$|ing$|ers?$)", "l"),
        (r"(?<=\w)ence(?=s?$)", "ense"),
        (r"^grey", "gray"),
        (r"(?<=\w)mme(?=s?$)", "m"),
        (r"^(append|ap|ind|matr|vert|vort)(?:ices|ix|ex)$", r"\1ix"),
        (r"lyses$", "lysis"),
    )
)
"""Choices that English spelling leaves, and old German: colour, analyse, haemoglobin, Photographie."""
