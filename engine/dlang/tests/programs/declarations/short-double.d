short double x;
BEGIN { }
