unsigned size_t s;
BEGIN { }
