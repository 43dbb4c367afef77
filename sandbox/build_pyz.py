"""Build `ash-sb.pyz` from this checkout: `python sandbox/build_pyz.py OUT [PYTHON…]`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ash_sb.pyz import main

main(sys.argv[1:])
