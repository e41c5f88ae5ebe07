"""A build whose stages all ask a paid model, in a process of its own, to be killed:
``paid_build.py SOURCE INDEX URL``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from paid_server import by_model_at
from small_index import build
from small_plant import INDEX_ID, PLANT

if __name__ == "__main__":
    source, index, url = sys.argv[1:]
    build(Path(index), source, config=by_model_at(url, PLANT), index_id=INDEX_ID)
