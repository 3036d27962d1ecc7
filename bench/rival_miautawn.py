"""Learn with miautawn-auto-validate-by-history: run by bench/learn.py, in that package's own environment."""

import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from avh.auto_validate_by_history import AVH

warnings.simplefilter("ignore")
history = [pd.read_feather(file) for file in sorted(Path(sys.argv[1]).glob("*.feather"))]
start = time.process_time()
AVH(verbose=0, random_state=0).generate(history, 0.001)
took = time.process_time() - start
print(json.dumps({"seconds": took, "version": version("miautawn-auto-validate-by-history")}))
