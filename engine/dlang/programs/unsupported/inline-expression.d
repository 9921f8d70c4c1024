inline int X = pid + 1;
BEGIN { trace(X); }
