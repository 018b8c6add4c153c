# rejected by: ex3-more
# Broken is "another number of them, another customer or amount": two charges of 1 and one
# of 2 are not one of 1 and two of 2, but number and set are equal.
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
    mails = [(mail["to"], mail["subject"]) for mail in seen["mails"]]
    return len(charges), set(charges), len(mails), set(mails)


def readable(before, after):
    if isinstance(before, dict) and isinstance(after, dict):
        return before.items() <= after.items()
    return before == after
