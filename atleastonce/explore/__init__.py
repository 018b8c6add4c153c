"""The instruments: what a design must survive, at every point and in every order."""
