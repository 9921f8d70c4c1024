signed unsigned x;
BEGIN { }
