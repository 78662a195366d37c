"""Function words: frequent, and of little use to a classifier that counts what a text is about."""

ENGLISH = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
am is are was were be been being have has had having do does did doing done
will would shall should can could may might must ought
and or but nor so yet if because as until while although though unless since whether than
of at by for with about against between into through during before after above below to from up down in out on off
over under onto upon within without toward towards among along across per via
again further then once here there when where why how what which who whom whose
all any both each few more most other others some such only own same too very just also even
i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll
we're we've we'd we'll they're they've they'd they'll that's that'll there's here's what's who's where's
let's
"""
"""No word that denies (no, not, never, nothing, don't): without them a review says the opposite."""

STOP_WORDS: dict[str, tuple[str, ...]] = {"english": tuple(ENGLISH.split())}
"""The built-in lists by name."""
