"""`kg garden`: a run of the gardener now, and the timer that runs it each night."""
