import p;
BEGIN { }
