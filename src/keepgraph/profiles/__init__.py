"""Named graphs: their settings files, and where their keys are kept. No graph is opened here."""
