"""The Streamlit app: pages parse, call and show."""
