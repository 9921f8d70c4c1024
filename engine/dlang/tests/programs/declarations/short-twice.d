short short x;
BEGIN { }
