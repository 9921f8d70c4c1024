BEGIN
/a[1/
{
}
