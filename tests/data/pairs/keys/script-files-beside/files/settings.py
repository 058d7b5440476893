import json
from pathlib import Path

def read():
    return json.loads((Path(__file__).parent / "site.json").read_text())
