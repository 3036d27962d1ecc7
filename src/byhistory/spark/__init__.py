"""How does Spark turn a DataFrame into profiles?"""

from byhistory.spark.profiler import profile, profile_runs

__all__ = ["profile", "profile_runs"]
