enum nowhere v;
BEGIN { }
