#line 100
BEGIN { trace(nosuch); }
