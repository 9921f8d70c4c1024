void x[3];
BEGIN { }
