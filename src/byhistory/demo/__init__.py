"""What does a recurring table look like, to try byhistory on?"""

from byhistory.demo.orders import INCIDENTS, orders, write_lake

__all__ = ["INCIDENTS", "orders", "write_lake"]
