short char c;
BEGIN { }
