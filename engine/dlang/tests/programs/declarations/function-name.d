int strlen;
BEGIN { }
