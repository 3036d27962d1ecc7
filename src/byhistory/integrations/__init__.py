"""How does it fit into a job that is already there? (One file per host.)"""

from byhistory.integrations.jobs import guarded, guarding
from byhistory.integrations.publish import Published, write_audit_publish
from byhistory.integrations.streaming import gate, window_gate

__all__ = ["Published", "gate", "guarded", "guarding", "window_gate", "write_audit_publish"]
