"""How a model begins that will not do what it is asked."""

from __future__ import annotations

import re

REFUSES = re.compile(
    r"^\W*(?:i['’]?m sorry|i am sorry|sorry,|i can(?:no|['’])t|i am unable|i['’]m unable|i won['’]t|as an ai|"
    r"unfortunately, i|es tut mir leid|leider kann ich|je suis désolé|je ne peux pas|lo siento|mi dispiace|"
    r"申し訳|すみません|抱歉|对不起|很抱歉|作为一个|죄송)",
    re.IGNORECASE,
)
