struct nowhere;
struct nowhere v;
BEGIN { }
