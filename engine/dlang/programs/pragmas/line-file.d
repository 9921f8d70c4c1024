#line 7 "other.d"
BEGIN { trace(nosuch); }
