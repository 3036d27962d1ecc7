"""Who has to know, and have they been told?"""

from byhistory.notify.news import News, unsent
from byhistory.notify.send import Sent, channels, notify, send

__all__ = ["News", "Sent", "channels", "notify", "send", "unsent"]
