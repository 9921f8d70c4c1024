BEGIN { trace(curcpu); }
inline int curcpu = 1;
