# rejected by: ex3-harmless
# "Must not call anything else broken: ... the order of effects": the charges are compared
# in order.
def broken(messages: list[str], old: str, new: str) -> set[str]:
    pairs = zip(run(old, messages), run(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    return (
        before["state"] == after["state"]
        and effects(before) == effects(after)
        and readable(before["result"], after["result"])
    )


def effects(seen):
    charges = [(charge["customer"], charge["amount"]) for charge in seen["charges"]]
    return charges, sorted((mail["to"], mail["subject"]) for mail in seen["mails"])


def readable(before, after):
    if isinstance(before, dict) and isinstance(after, dict):
        return before.items() <= after.items()
    return before == after
