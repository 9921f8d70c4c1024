inline int x = pid.y;
BEGIN { }
