#line x
BEGIN { }
