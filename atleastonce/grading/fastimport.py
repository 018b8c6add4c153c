"""Block an import that costs 3 to 4 CPU seconds; a pytest plugin by being loaded.

``nbformat`` imports ``jsonschema``, whose format checkers import ``rfc3987_syntax``,
which compiles its Lark grammars at import (jsonschema issue 1428). The check of IRIs
is optional there, and no notebook needs it: 0.3 s remain.

Load it before anything imports ``nbformat``: pytest's ``-p`` comes before the entry
points of plugins such as nbval; ``atleastonce.jupyter`` and the commands that read
notebooks import it first.
"""

from __future__ import annotations

import sys

# None makes `import rfc3987_syntax` raise ImportError, as if it were not installed.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
