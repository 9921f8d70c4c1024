struct nowhere;
BEGIN { trace(((struct nowhere *)0)->b); }
