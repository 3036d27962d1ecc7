"""What does a recurring table look like, to try byhistory on?"""

from byhistory.demo.orders import INCIDENTS, orders, write_day, write_lake
from byhistory.demo.week import PAST, WEEK, Day, arrival, is_late_at

__all__ = ["INCIDENTS", "PAST", "WEEK", "Day", "arrival", "is_late_at", "orders", "write_day", "write_lake"]
