tick-$ { }
