long string s;
BEGIN { }
