# rejected by: ex3-harmless
def broken(messages, old, new):
    pairs = zip(run(old, messages), run(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    return before == after
