BEGIN
/(1/
{
}
