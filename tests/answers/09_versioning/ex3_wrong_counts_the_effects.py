# rejected by: ex3-five
def broken(messages, old, new):
    pairs = zip(run(old, messages), run(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    return (
        before["state"] == after["state"]
        and len(before["charges"]) == len(after["charges"])
        and len(before["mails"]) == len(after["mails"])
        and keys(before) <= keys(after)
    )


def keys(seen):
    return set(seen["result"] or ())
