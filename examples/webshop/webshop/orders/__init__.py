"""The app of the orders."""
