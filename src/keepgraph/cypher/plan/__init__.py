"""Logical plans: algebra, planner, optimizer and join order."""
