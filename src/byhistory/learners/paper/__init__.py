"""What does the method learn, exactly as the paper describes it?"""

from byhistory.learners.paper.learner import PAPER, Paper

__all__ = ["PAPER", "Paper"]
