int char x;
BEGIN { }
