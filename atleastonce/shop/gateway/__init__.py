"""The payment provider: another company, so a process and Django settings of its own.

``python -m atleastonce.shop.gateway --port 8001`` serves it on loopback.

| request | who | what |
| --- | --- | --- |
| ``POST /charges`` | a client | 201 and the charge; 200 when its key was used before |
| ``GET /charges`` | the lab | the ledger: every charge that was made |
| ``DELETE /charges`` | the lab | empty the ledger, the keys and the list of requests |
| ``GET /requests`` | the lab | every ``POST /charges`` and how it was answered |
| ``POST /knobs`` | the lab | how to misbehave from now on; ``{}`` heals |
| ``POST /cut`` | the lab | close the connections of all clients now |
| ``GET /health`` | anyone | 200 |

The lab shows its secret in ``X-Lab-Secret``. A client is who its ``Authorization`` says
(Basic's user or Bearer's token), believed as it is; keys are scoped to it.
"""
