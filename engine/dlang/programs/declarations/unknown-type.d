int nosuch_t y;
BEGIN { }
