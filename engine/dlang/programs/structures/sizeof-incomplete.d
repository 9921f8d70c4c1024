BEGIN { trace(sizeof (struct nowhere)); }
